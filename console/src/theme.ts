import { type CSSVariablesResolver, createTheme } from '@mantine/core'

const dialog = {
  defaultProps: { attributes: { header: { role: 'none' } }, closeButtonProps: { 'aria-label': 'Close' } },
}

/** Shades and overrides that pass the contrast checks of axe in both color schemes. */
export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 8, dark: 8 },
  autoContrast: true,
  luminanceThreshold: 0.179,
  respectReducedMotion: true,
  defaultRadius: 'sm',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif',
  headings: { fontWeight: '600' },
  // Named by string: `Modal.extend` would load the component with the first page.
  components: {
    Modal: dialog,
    Drawer: dialog,
    Notification: {
      defaultProps: { closeButtonProps: { 'aria-label': 'Close' } },
      styles: { description: { color: 'var(--mantine-color-dimmed)' } },
    },
    // The colored title of a yellow alert has a contrast of 2.7.
    Alert: { styles: { title: { color: 'light-dark(var(--mantine-color-black), var(--mantine-color-white))' } } },
    Tooltip: { defaultProps: { events: { hover: true, focus: true, touch: true }, multiline: true, maw: 320 } },
    Table: { defaultProps: { verticalSpacing: 'xs', highlightOnHover: true } },
  },
})

export const cssVariablesResolver: CSSVariablesResolver = ({ colors }) => ({
  variables: {},
  light: {
    // The text of subtle and light buttons, also while the pointer is over them.
    '--mantine-color-indigo-light-color': colors.indigo?.[9] ?? '',
    '--mantine-color-indigo-light-hover': '#c9d5ff',
    '--mantine-color-dimmed': colors.gray?.[7] ?? '',
    '--mantine-color-error': colors.red?.[9] ?? '',
    '--mantine-color-placeholder': colors.gray?.[7] ?? '',
  },
  dark: {
    '--mantine-color-dimmed': colors.dark?.[1] ?? '',
    '--mantine-color-error': colors.red?.[4] ?? '',
    '--mantine-color-placeholder': colors.dark?.[1] ?? '',
  },
})
