/** Error message inside a form. */
export function Failure({ text }: { text: string | null }) {
  return text ? (
    <p role="alert" className="rounded-md bg-bad-soft px-2.5 py-1.5 text-sm text-bad">
      {text}
    </p>
  ) : null
}
