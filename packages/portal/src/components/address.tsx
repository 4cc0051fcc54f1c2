import { CopyButton } from './copy-button.tsx'

const HEAD = 6
const TAIL = 4

/** `0x1234…abcd`. */
export const shortAddress = (address: string): string =>
  address.length > HEAD + TAIL + 1 ? `${address.slice(0, HEAD)}…${address.slice(-TAIL)}` : address

/** Shows a short address and copies the full one; the user's label precedes it. */
export function Address({ address, label }: { address: string; label?: string }) {
  return (
    <span className="inline-flex max-w-full items-center gap-1 whitespace-nowrap">
      {label && <span className="max-w-48 min-w-0 truncate">{label}</span>}
      <code title={address} className={`shrink-0 font-mono text-[0.8125rem] ${label ? 'text-muted' : ''}`}>
        {shortAddress(address)}
      </code>
      <CopyButton compact text={address} name={address} />
    </span>
  )
}
