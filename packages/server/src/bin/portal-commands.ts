import { existsSync, readFileSync } from 'node:fs'
import { Failure } from '@coffer/contract'
import { memberEndpoints, ROLES, type Role } from '@coffer/contract/portal'
import { z } from 'zod'
import { type Config, portalUrlFile } from '../config/config.ts'
import { recordAction } from '../features/portal-users/audit.ts'
import {
  createLink,
  createSetupLink,
  type LinkPurpose,
  listInvitations,
  revokeInvitation,
} from '../features/portal-users/links.ts'
import { endOtherSessions } from '../features/portal-users/sessions.ts'
import { findUserByName, listUsers } from '../features/portal-users/users.ts'
import { type AdminContext, type Command, commandOf, defineCommand } from './command.ts'
import { id, name, OPERATOR, Refusal } from './command-input.ts'

/** `publicUrl`, else the URL of the service that ran last over the data folder. */
function portalUrl({ publicUrl, port, dataDir }: Config): string {
  if (publicUrl !== null) return publicUrl
  const file = portalUrlFile(dataDir)
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : `http://localhost:${port}`
}

export const portalCommands: Readonly<Record<string, Command>> = {
  'portal link': defineCommand({
    records: 'itself',
    about:
      'Print a one-time link: for the first user, for one that cannot sign in any more, or for a new member of an account.',
    example: '--account 2 --role viewer',
    usage: '[--user NAME | --account ID --role viewer|accountant|owner]',
    flags: { user: name.optional(), account: id.optional(), role: z.enum(ROLES).optional() },
    async run(context, given) {
      const link = await linkFor(context, given)
      const url = `${portalUrl(context.config())}/link#${link.token}`
      return { print: { kind: link.kind, url, expiresAt: link.expiresAt.toISOString() } }
    },
  }),
  'portal invitations': commandOf(memberEndpoints.listInvitations, {
    example: '--account 2',
    async run({ db }, { account }) {
      const invitations = await listInvitations(db, account)
      return { print: invitations.map((each) => ({ ...each, by: each.by ?? OPERATOR.userName })) }
    },
  }),
  'portal invitations revoke': commandOf(memberEndpoints.revokeInvitation, {
    records: 'itself',
    example: '7 --account 2',
    async run({ db }, { id: link, account }) {
      await revokeInvitation(db, OPERATOR, { accountId: account, id: link }).catch((thrown: unknown) => {
        if (!(thrown instanceof Failure)) throw thrown
        throw new Refusal(`There is no open invitation ${link} to account ${account}.`)
      })
      return { print: { id: link, account, revoked: true } }
    },
  }),
  'portal users': defineCommand({
    about: 'List the users of the portal, how they sign in, and what they may do in which account.',
    run: async ({ db }) => ({ print: await listUsers(db) }),
  }),
  'portal sessions end': defineCommand({
    records: 'itself',
    about: 'Sign a user of the portal out everywhere.',
    example: '--user ada',
    flags: { user: name },
    async run({ db }, { user }) {
      const found = await getUser(db, user)
      const ended = await db.transaction().execute(async (trx) => {
        const detail = { user: found.name }
        await recordAction(trx, OPERATOR, { action: 'ended sessions', accountId: null, detail })
        return endOtherSessions(trx, found.id, null)
      })
      return { print: { user: found.name, ended } }
    },
  }),
}

type Given = { user?: string | undefined; account?: string | undefined; role?: Role | undefined }

async function linkFor({ db }: AdminContext, { user, account, role }: Given) {
  if ((account === undefined) !== (role === undefined)) throw new Refusal('--account and --role go together.')
  if (user !== undefined && account !== undefined) throw new Refusal('--user goes with neither --account nor --role.')
  if (user !== undefined) {
    const { id: userId, name: userName } = await getUser(db, user)
    return linkOf(db, { kind: 'recovery', userId }, { user: userName })
  }
  if (account !== undefined && role !== undefined) {
    return linkOf(db, { kind: 'invitation', accountId: account, role, madeBy: null }, { role })
  }
  const link = await createSetupLink(db)
  if (!link) {
    throw new Refusal('There is a user already: --user NAME lets one in again, --account ID --role R invites another.')
  }
  return { kind: 'setup' as const, ...link }
}

function linkOf(db: AdminContext['db'], purpose: LinkPurpose, detail: Record<string, string>) {
  const accountId = purpose.kind === 'invitation' ? purpose.accountId : null
  return db.transaction().execute(async (trx) => {
    await recordAction(trx, OPERATOR, { action: `made a link: ${purpose.kind}`, accountId, detail })
    return { kind: purpose.kind, ...(await createLink(trx, purpose)) }
  })
}

async function getUser(db: AdminContext['db'], userName: string) {
  const user = await findUserByName(db, userName)
  if (!user) throw new Refusal(`The portal has no user ${userName}.`)
  return user
}
