/** The surface of everything that floats above the page. */
export const popupClass = 'rounded-md border border-line bg-surface text-ink shadow-lg outline-none'
