import { type FormEvent, useState } from 'react'
import { ask } from '../../api/ask.ts'
import { useSession } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { Field } from '../../components/field.tsx'
import { Input } from '../../components/input.tsx'
import { useWork } from '../../components/use-work.ts'
import { t } from '../../lib/i18n.ts'
import { renewOwn } from './own.ts'

const PASSWORD_MIN = 12

export function PasswordCard() {
  const { user } = useSession()
  const [password, setPassword] = useState('')
  const [isDone, setDone] = useState(false)
  const work = useWork()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void work.run(async () => {
      await ask('POST', '/user/password', { body: { password } })
      await renewOwn()
      setPassword('')
      setDone(true)
    })
  }
  return (
    <Card title={t('Password')}>
      <form onSubmit={submit} className="grid gap-3">
        <input type="text" autoComplete="username" value={user.name} readOnly hidden />
        <Field
          label={t('New password')}
          hint={t('At least {n} characters. All your other sessions end.', { n: PASSWORD_MIN })}
          error={work.error}
        >
          {(control) => (
            <Input
              {...control}
              required
              type="password"
              minLength={PASSWORD_MIN}
              autoComplete="new-password"
              value={password}
              onChange={(event) => {
                setPassword(event.target.value)
                setDone(false)
              }}
            />
          )}
        </Field>
        <div className="flex flex-wrap items-center gap-3">
          <Button type="submit" busy={work.busy}>
            {user.hasPassword ? t('Change the password') : t('Set a password')}
          </Button>
          <p role="status" className="text-sm text-good">
            {isDone && t('The password is set.')}
          </p>
        </div>
      </form>
    </Card>
  )
}
