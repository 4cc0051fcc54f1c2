/** Hands a text to the browser as a file. */
export function download(name: string, type: 'text/csv' | 'application/json', text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}

/** Lets the browser save the file at an address of this origin, under the name that the service gives it; it says when it breaks off. */
export function downloadFrom(address: string): void {
  const link = document.createElement('a')
  link.href = address
  link.download = ''
  link.click()
}
