import { leaveFor } from '../api/issuer.ts'
import { Button, type ButtonLook } from './button.tsx'
import { Failure } from './failure.tsx'
import { useWork } from './use-work.ts'

type IssuerButtonProps = ButtonLook & {
  label: string
  /** Asks the service for the issuer's URL. */
  begin: () => Promise<{ url: string }>
  /** Path to continue at. */
  next: string
}

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
