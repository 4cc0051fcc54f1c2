/** A moment in the user's time zone to the minute, as inputs of days with times have it. */
export function toLocalMinute(moment: Date): string {
  const shifted = new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000)
  return shifted.toISOString().slice(0, 'YYYY-MM-DDTHH:mm'.length)
}

/** The span of two such inputs, both of their minutes whole; null where it is none. */
export function spanOf(from: string, until: string): { from: string; to: string } | null {
  const [first, last] = [new Date(from), new Date(until)]
  if (!(first.getTime() <= last.getTime())) return null
  return { from: first.toISOString(), to: new Date(last.getTime() + 59_999).toISOString() }
}
