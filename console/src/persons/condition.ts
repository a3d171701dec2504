/** Conditions on properties of persons, as HogQL. */
import { property, quoted } from '../parts/hogql-text.ts'

export const OPERATORS = {
  equals: 'equals',
  differs: 'does not equal',
  contains: 'contains',
  lacks: 'does not contain',
  above: 'is greater than',
  below: 'is less than',
  set: 'is set',
  unset: 'is not set',
} as const
export type Operator = keyof typeof OPERATORS

export const isOperator = (value: string): value is Operator => Object.hasOwn(OPERATORS, value)

export const takesValue = (operator: Operator): boolean => operator !== 'set' && operator !== 'unset'

/** Only numbers are greater or less. */
export const takesNumber = (operator: Operator): boolean => operator === 'above' || operator === 'below'

const pattern = (text: string): string => quoted(`%${text.replace(/[\\%_]/g, '\\$&')}%`)

export function conditionOf(name: string, operator: Operator, value: string): string {
  const field = `properties${property(name)}`
  switch (operator) {
    case 'equals':
      return `${field} = ${quoted(value)}`
    case 'differs':
      return `${field} != ${quoted(value)}`
    case 'contains':
      return `${field} ILIKE ${pattern(value)}`
    case 'lacks':
      return `${field} NOT ILIKE ${pattern(value)}`
    case 'above':
      return `${field} > ${Number(value)}`
    case 'below':
      return `${field} < ${Number(value)}`
    case 'set':
      return `${field} IS NOT NULL`
    case 'unset':
      return `${field} IS NULL`
  }
}

/** A line of its own, because a comment ends with its line. */
export const withCondition = (where: string | undefined, condition: string): string =>
  where === undefined ? condition : `${/\bor\b|[?]/i.test(where) ? `(${where}\n)` : where}\nAND ${condition}`
