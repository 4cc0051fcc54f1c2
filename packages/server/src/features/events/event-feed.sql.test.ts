import { afterAll, expect, test } from 'vitest'
import { testDatabase } from '../../../test/database.ts'
import { accountWith } from '../../../test/ledger/accounts.ts'
import type { Caller } from '../../http/gates.ts'
import { openEvents } from './event-feed.ts'
import { moveOutbox, reportToAccounts } from './outbox.ts'

const database = await testDatabase('feed')
afterAll(() => database.drop())
const { db } = database
const feed = openEvents({ database, logger: { warn: () => undefined } })

test('a stream is ready at once, and another one resumes after the last event that it sent', async () => {
  const accountId = await accountWith(db, 0)
  const tell = async (n: number) => {
    // Delivered data may have any form.
    await reportToAccounts(db, 'sync.ended', [BigInt(accountId)], [{ subject: 'wallet', data: { n } as never }])
    await moveOutbox(db)
  }
  const listen = (lastId?: string) => {
    const sent: { event: string; data: unknown; id: string | undefined }[] = []
    const send = (event: string, data: unknown, id?: string) => void sent.push({ event, data, id })
    return { sent, end: feed.listen({ accountId, keyId: '1' } as Caller, send, lastId) }
  }
  const first = listen()
  await expect.poll(() => first.sent).toMatchObject([{ event: 'ready' }])
  await tell(1)
  const reported = (n: number) => ({ event: 'sync.ended', data: { type: 'sync.ended', data: { n } } })
  await expect.poll(() => first.sent.slice(1)).toMatchObject([reported(1)])
  first.end()
  await tell(2)
  const second = listen(first.sent[1]?.id)
  await expect.poll(() => second.sent.slice(1)).toMatchObject([reported(2)])
  second.end()
})
