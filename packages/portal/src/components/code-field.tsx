import { ApiProblem } from '../api/problem.ts'
import { t } from '../lib/i18n.ts'
import { Field } from './field.tsx'
import { Input } from './input.tsx'

/** Returns true if the service refused because a code is missing. */
export const needsCode = (error: unknown): boolean => error instanceof ApiProblem && error.extras.needsCode === true

export function CodeField({ code, onChange }: { code: string; onChange: (code: string) => void }) {
  return (
    <Field label={t('Code from your authenticator app')} hint={t('Or one of your recovery codes.')}>
      {(control) => (
        <Input
          {...control}
          required
          ref={(input) => input?.focus()}
          autoComplete="one-time-code"
          value={code}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}
