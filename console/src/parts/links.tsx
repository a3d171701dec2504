/** Components of the design system that are links of the router, with checked targets. */
import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { ComponentPropsWithRef } from 'react'

type Native<Props> = Omit<ComponentPropsWithRef<'a'>, keyof Props> & Props

export const AnchorLink = createLink((props: Native<AnchorProps>) => <Anchor {...props} />)

export const ButtonLink = createLink((props: Native<ButtonProps>) => <Button component="a" {...props} />)
