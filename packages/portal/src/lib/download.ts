/** Saves a file of this origin under the service's name for it. The browser reports an interrupted download. */
export function downloadFrom(address: string): void {
  const link = document.createElement('a')
  link.href = address
  link.download = ''
  link.click()
}
