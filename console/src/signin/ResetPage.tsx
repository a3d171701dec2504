export function ResetPage() {
  return null
}
export function ResetRequestPage() {
  return null
}
