import { OPERATORS, type Operator, type PropertyFilter, takesValue } from './search.ts'

const LABELS: Record<Operator, string> = {
  exact: 'equals',
  is_not: 'does not equal',
  icontains: 'contains',
  not_icontains: 'does not contain',
  regex: 'matches regex',
  not_regex: 'does not match regex',
  gt: 'is greater than',
  gte: 'is at least',
  lt: 'is less than',
  lte: 'is at most',
  is_set: 'is set',
  is_not_set: 'is not set',
  is_date_exact: 'is on the date',
  is_date_before: 'is before the date',
  is_date_after: 'is after the date',
}

export const OPERATOR_CHOICES = OPERATORS.map((value) => ({ value, label: LABELS[value] }))

/** For example "$browser equals Firefox". */
export function describeFilter({ key, operator, value, type }: PropertyFilter): string {
  const name = type === 'person' ? `person ${key}` : key
  return takesValue(operator)
    ? `${name} ${LABELS[operator]} ${[value].flat().join(' or ')}`
    : `${name} ${LABELS[operator]}`
}
