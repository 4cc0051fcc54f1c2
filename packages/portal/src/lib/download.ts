/** Lets the browser save the file at an address of this origin, under the name that the service gives it; it says when it breaks off. */
export function downloadFrom(address: string): void {
  const link = document.createElement('a')
  link.href = address
  link.download = ''
  link.click()
}
