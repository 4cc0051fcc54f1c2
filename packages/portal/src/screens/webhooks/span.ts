/** Local time to the minute, as date and time inputs have it. */
export function toLocalMinute(moment: Date): string {
  const shifted = new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000)
  return shifted.toISOString().slice(0, 'YYYY-MM-DDTHH:mm'.length)
}

/** Includes both minutes entirely; null for an invalid span. */
export function spanOf(from: string, until: string): { from: string; to: string } | null {
  const [first, last] = [new Date(from), new Date(until)]
  if (!(first.getTime() <= last.getTime())) return null
  return { from: first.toISOString(), to: new Date(last.getTime() + 59_999).toISOString() }
}
