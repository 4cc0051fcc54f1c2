import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { ask } from '../../api/ask.ts'
import { enter } from '../../api/entering.ts'
import { useIssuerName } from '../../api/issuer.ts'
import { ApiProblem } from '../../api/problem.ts'
import type { LinkView } from '../../api/types.ts'
import { Button, buttonClass } from '../../components/button.tsx'
import { Entrance } from '../../components/entrance.tsx'
import { Failure } from '../../components/failure.tsx'
import { Field } from '../../components/field.tsx'
import { Input } from '../../components/input.tsx'
import { IssuerButton } from '../../components/issuer-button.tsx'
import { ErrorState, Skeleton } from '../../components/states.tsx'
import { useWork } from '../../components/use-work.ts'
import { t } from '../../lib/i18n.ts'
import { makePasskey, type PasskeyAnswer, passkeysWork } from '../../lib/passkeys.ts'
import { roleName } from '../../lib/roles.ts'
import { takeToken } from './token.ts'

const PASSWORD_MIN = 12

export function Screen() {
  const [token] = useState(takeToken)
  const look = useQuery({
    queryKey: ['link', token],
    queryFn: () => ask('POST', '/links/look', { body: { token }, anonymous: true }),
    staleTime: 'static',
  })
  if (look.data) return <FollowLink link={look.data} token={token} />
  if (look.error instanceof ApiProblem && [400, 404].includes(look.error.status)) return <DeadLink />
  return (
    <Entrance title={t('One-time link')}>
      {look.error ? <ErrorState error={look.error} onRetry={() => void look.refetch()} /> : <Skeleton />}
    </Entrance>
  )
}

function DeadLink() {
  return (
    <Entrance
      title={t('This link does not work')}
      lead={t('It was already used, has expired or is incomplete. Ask the sender for another one.')}
    >
      <Link to="/sign-in" className={buttonClass()}>
        {t('Sign in')}
      </Link>
    </Entrance>
  )
}

type LinkProps = { link: LinkView; token: string }

/** A signed-in user joins as the same user, unless the link is for someone else. */
function FollowLink({ link, token }: LinkProps) {
  const [isOther, setOther] = useState(false)
  if (link.kind !== 'invitation' || link.signedInAs === null || isOther) return <UseLink link={link} token={token} />
  return <JoinByLink link={link} name={link.signedInAs} token={token} onOther={() => setOther(true)} />
}

function JoinByLink({ link, name, token, onOther }: LinkProps & { name: string; onOther: () => void }) {
  const navigate = useNavigate()
  const work = useWork()
  const join = () =>
    work.run(async () => {
      enter(await ask('POST', '/links/join', { body: { token } }))
      await navigate({ href: afterLink(link), replace: true })
    })
  return (
    <Entrance title={titleOf(link)} lead={leadOf(link)}>
      <Failure text={work.error} />
      <Button look="primary" busy={work.busy} onClick={() => void join()}>
        {t('Join as {name}', { name })}
      </Button>
      <Button look="ghost" onClick={onOther}>
        {t('Join as another user')}
      </Button>
    </Entrance>
  )
}

function UseLink({ link, token }: LinkProps) {
  const navigate = useNavigate()
  const [name, setName] = useState(link.user ?? '')
  const [password, setPassword] = useState('')
  const issuer = useIssuerName()
  const [wantsPassword, setWantsPassword] = useState(!passkeysWork())
  const work = useWork()
  const follow = async (credential: { password: string } | { passkey: PasskeyAnswer }) => {
    const body = { token, name: name.trim(), ...credential }
    enter(await ask('POST', '/links/use', { body, anonymous: true }))
    await navigate({ href: afterLink(link), replace: true })
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void work.run(async () => {
      if (wantsPassword) return follow({ password })
      const body = { token, name: name.trim() }
      return follow({
        passkey: await makePasskey(await ask('POST', '/links/passkey-options', { body, anonymous: true })),
      })
    })
  }
  return (
    <Entrance title={titleOf(link)} lead={leadOf(link)}>
      <form onSubmit={submit} className="grid gap-4">
        <Field label={t('Name')} hint={link.kind === 'recovery' ? undefined : t('You sign in with this name.')}>
          {(control) => (
            <Input
              {...control}
              required
              maxLength={100}
              readOnly={link.user !== null}
              autoComplete="username"
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        {wantsPassword && (
          <Field label={t('Password')} hint={t('At least {n} characters.', { n: PASSWORD_MIN })}>
            {(control) => (
              <Input
                {...control}
                required
                type="password"
                minLength={PASSWORD_MIN}
                autoComplete="new-password"
                value={password}
                onChange={(event) => setPassword(event.target.value)}
              />
            )}
          </Field>
        )}
        <Failure text={work.error} />
        <Button type="submit" look="primary" busy={work.busy}>
          {wantsPassword ? t('Set the password') : t('Create a passkey')}
        </Button>
        {passkeysWork() && (
          <Button look="ghost" onClick={() => setWantsPassword(!wantsPassword)}>
            {wantsPassword ? t('Use a passkey instead') : t('Use a password instead')}
          </Button>
        )}
        {issuer !== null && name.trim() !== '' && (
          <IssuerButton
            look="ghost"
            label={t('Use {name} instead', { name: issuer })}
            begin={() => ask('POST', '/links/openid', { body: { token, name: name.trim() }, anonymous: true })}
            next="/"
          />
        )}
      </form>
    </Entrance>
  )
}

/** Opens the joined account, otherwise the first one. */
const afterLink = ({ accountId }: LinkView): string => (accountId === null ? '/' : `/a/${accountId}`)

function titleOf({ kind, account }: LinkView): string {
  if (kind === 'setup') return t('Set up Coffer')
  if (kind === 'recovery') return t('Regain access')
  return t('Join {account}', { account: account ?? '' })
}

function leadOf({ kind, role }: LinkView): string {
  if (kind === 'setup') return t('Create the first user, who owns the account and operates the service.')
  if (kind === 'recovery') return t('Set a new passkey or password for your user.')
  return t('You are invited as {role}.', { role: role ? roleName(role) : '' })
}
