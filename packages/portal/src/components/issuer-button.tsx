import { leaveFor } from '../api/issuer.ts'
import { Button, type ButtonLook } from './button.tsx'
import { Failure } from './failure.tsx'
import { useWork } from './use-work.ts'

type IssuerButtonProps = ButtonLook & {
  label: string
  /** Asks the service where to go. */
  begin: () => Promise<{ url: string }>
  /** Path to go on to afterwards. */
  next: string
}

/** Leaves for the issuer that signs users in. */
export function IssuerButton({ label, begin, next, ...look }: IssuerButtonProps) {
  const work = useWork()
  const leave = () => work.run(async () => leaveFor((await begin()).url, next))
  return (
    <>
      <Button {...look} busy={work.busy} onClick={() => void leave()}>
        {label}
      </Button>
      <Failure text={work.error} />
    </>
  )
}
