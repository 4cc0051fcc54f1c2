/** Surface of all floating elements. */
export const popupClass = 'rounded-md border border-line bg-surface text-ink shadow-lg outline-none'
