import { ApiProblem } from '../../api/problem.ts'
import { Field } from '../../components/field.tsx'
import { Input } from '../../components/input.tsx'
import { t } from '../../lib/i18n.ts'

/** Whether the service refused a sign-in for the code that it lacks. */
export const needsCode = (error: unknown): boolean => error instanceof ApiProblem && error.extras.needsCode === true

/** The second factor of whoever has one. */
export function CodeField({ code, onChange }: { code: string; onChange: (code: string) => void }) {
  return (
    <Field label={t('Code of your authenticator app')} hint={t('Or one of your recovery codes.')}>
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
