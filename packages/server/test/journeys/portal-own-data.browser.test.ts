import { generateKeyPairSync, sign } from 'node:crypto'
import { base32nopad, base58 } from '@scure/base'
import { privateKeyToAccount } from 'viem/accounts'
import { beforeEach, expect, test } from 'vitest'
import { STEP_SECONDS, totpCode } from '../../src/features/portal-users/totp.ts'
import { PASSWORD } from '../browser/first-user.ts'
import { act, createKey, signIn } from '../browser/page-actions.ts'
import { type Portal, startPortal } from '../browser/signed-in-portal.ts'
import { startBrowser, type TestPage } from '../browser/start-browser.ts'
import { deepTest } from '../sized.ts'
import { startedForTest } from '../started.ts'

// Users' own data: saved addresses with their bundles and proofs, and virtual users.

const browser = startBrowser()
let portal: Portal
let opened: TestPage

beforeEach(async () => {
  portal = await startedForTest(startPortal(browser, { env: { COFFER_MASTER_KEY: '5c'.repeat(32) } }))
  opened = await portal.enterBy((await portal.service.context.makeSetupLink()) ?? '', 'Ann')
})

const owner = privateKeyToAccount(`0x${'4'.repeat(64)}`)
const mine = owner.address.toLowerCase()
const tron = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'

/** Adds a wallet to the page like an extension: EIP-1193, with one account. */
async function addWallet({ page }: TestPage): Promise<void> {
  await page.exposeFunction('signRaw', (raw: `0x${string}`) => owner.signMessage({ message: { raw } }))
  await page.addInitScript(`{
    const answers = { eth_requestAccounts: () => ['${owner.address}'], eth_chainId: () => '0x1', personal_sign: (raw) => window.signRaw(raw) }
    window.ethereum = { request: async ({ method, params }) => answers[method](params?.[0]) }
  }`)
}

/** Adds a Solana wallet to the page like an extension: wallet standard, with one account. Returns its address. */
async function addSolanaWallet({ page }: TestPage): Promise<string> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const address = base58.encode(Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url'))
  await page.exposeFunction('signSolana', (message: number[]) => [...sign(null, Buffer.from(message), privateKey)])
  await page.addInitScript(`{
    const account = { address: '${address}' }
    const signMessage = async ({ message }) => [{ signature: Uint8Array.from(await window.signSolana([...message])) }]
    const features = { 'standard:connect': { connect: async () => ({ accounts: [account] }) }, 'solana:signMessage': { signMessage } }
    const tell = ({ register }) => register({ name: 'Lantern', accounts: [], features })
    addEventListener('wallet-standard:app-ready', ({ detail }) => tell(detail))
    dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: tell }))
  }`)
  return address
}

/** The portal's answer to the open page. */
const answerOf = ({ page }: TestPage, path: string): Promise<unknown> =>
  page.evaluate(`fetch('/portal/api/accounts/1${path}').then((answer) => answer.json())`)

test('addresses are imported, labelled, bundled, proved and removed', async () => {
  const { page } = opened
  await addWallet(opened)
  await page.goto('/a/1/address-book')
  await page.getByRole('button', { name: 'Add addresses' }).first().click()
  const file = { name: 'book.csv', mimeType: 'text/csv' }
  const csv = `Address;Label\r\n${owner.address};"Ann's; own"\r\n${tron};Exchange\r\n`
  await page.getByLabel('Or from a CSV file').setInputFiles({ ...file, buffer: Buffer.from(csv) })
  await page.getByRole('button', { name: 'Save 2 addresses' }).click()
  await page.getByRole('button', { name: "Change the label of Ann's; own" }).click()
  await page.getByLabel('Label', { exact: true }).fill('Cold')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Change the label of Cold' }).waitFor()
  for (const member of [/Cold/, /Exchange/]) {
    await page.getByRole('button', { name: 'Create a bundle' }).click()
    await page.getByLabel('Name').fill('All')
    await page.getByRole('checkbox', { name: member }).check()
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    if (member.test('Cold')) await page.getByRole('heading', { name: 'All' }).waitFor()
  }
  await page.getByRole('alert').getByText('Another bundle has this name.').waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()

  await act(page, 'Cold', 'Prove ownership')
  await page.getByRole('button', { name: 'Sign with Browser wallet' }).click()
  await page.getByText('Proved: the key of this address signed.').waitFor()
  expect(await opened.barriers()).toEqual([])
  await page.getByRole('button', { name: 'Done' }).click()
  expect(await answerOf(opened, '/address-book')).toMatchObject([
    { address: mine, label: 'Cold', ownerAuthorized: true },
    { address: tron, label: 'Exchange', ownerAuthorized: false },
  ])

  await act(page, 'Cold', 'Remove')
  await page.getByText('Its ownership is proved').waitFor()
  await page.getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByText('No bundles yet').waitFor()
  expect(await answerOf(opened, '/address-book')).toMatchObject([{ address: tron }])
  expect(await opened.barriers()).toEqual([])
  await opened.clean({ expected: [/409/] })
})

test('a wallet that is linked signs its user in, and no more once it is unlinked', async () => {
  const { page } = opened
  await addWallet(opened)
  await page.goto('/me')
  await page.getByRole('button', { name: 'Link an account of Browser wallet' }).click()
  const unlink = page.getByRole('button', { name: /^Unlink 0x/ })
  await unlink.waitFor()
  expect(await opened.barriers()).toEqual([])

  const signIn = async () => {
    await page.context().clearCookies()
    await page.goto('/sign-in')
    await page.getByRole('button', { name: 'Sign in with Browser wallet' }).click()
  }
  await signIn()
  await page.waitForURL(/\/a\/1\//)
  await page.goto('/me')
  await page.getByText('You are signed in as Ann.').waitFor()
  await unlink.click()
  await page.getByText('No wallets yet').waitFor()
  await signIn()
  await page.getByRole('alert').getByText('The signature was not accepted').waitFor()
  expect(await opened.barriers()).toEqual([])
  await opened.clean({ expected: [/401/] })
})

// In `npm test`: wallets.sql, for the proof, and portal-setup, for its dialog.
deepTest(
  'a user with a wallet alone proves by its signature; a browser without the wallet says what to do',
  async () => {
    const { page } = opened
    const { pool } = portal.service.context.database
    await addWallet(opened)
    await page.goto('/me')
    await page.getByRole('button', { name: 'Link an account of Browser wallet' }).click()
    const unlink = page.getByRole('button', { name: /^Unlink 0x/ })
    await unlink.waitFor()
    await pool.query('update portal_user set password = null')
    await pool.query(`update portal_session set proved_at = now() - interval '11 minutes'`)
    const proof = page.getByRole('dialog', { name: 'Confirm your identity' })
    const askForKey = async () => {
      await page.goto('/a/1/keys')
      await createKey(page, 'mine')
      await proof.waitFor()
    }

    await page.addInitScript(`if (localStorage.getItem('bare')) delete window.ethereum`)
    await page.evaluate(`localStorage.setItem('bare', 'yes')`)
    await askForKey()
    await proof.getByRole('alert').getByText('This browser cannot confirm your identity.').waitFor()
    expect(await opened.barriers()).toEqual([])

    await page.evaluate(`localStorage.removeItem('bare')`)
    await askForKey()
    await proof.getByRole('button', { name: 'Sign with Browser wallet' }).click()
    await page.getByRole('button', { name: 'I have copied it' }).click()
    await page.getByRole('row', { name: /^mine/ }).waitFor()
    await opened.clean({ expected: [/403/] })
  },
)

// In `npm test`: wallets.sql and totp.sql.
deepTest(
  'a wallet of Solana signs in; codes of an app are asked for beside it and the password once they are set up',
  async () => {
    const { page } = opened
    const address = await addSolanaWallet(opened)
    await page.goto('/me')
    await page.getByRole('button', { name: 'Link an account of Lantern' }).click()
    await page.getByRole('button', { name: `Unlink ${address.slice(0, 4)}` }).waitFor()

    await page.getByRole('button', { name: 'Set up' }).click()
    const setUp = page.getByRole('dialog', { name: 'Authenticator app' })
    const secret = Buffer.from(base32nopad.decode((await setUp.locator('code').textContent()) ?? ''))
    const shown = (later = 0) => totpCode(secret, Math.floor(Date.now() / 1_000 / STEP_SECONDS) + later)
    await setUp.getByLabel('Code').fill(shown(9))
    await setUp.getByRole('button', { name: 'Confirm' }).click()
    await setUp.getByRole('alert').waitFor()
    expect(await opened.barriers()).toEqual([])
    await setUp.getByLabel('Code').fill(shown())
    await setUp.getByRole('button', { name: 'Confirm' }).click()
    const codes = page.getByRole('dialog', { name: 'Recovery codes' })
    const recovery = (await codes.getByRole('listitem').first().textContent()) ?? ''
    expect(await opened.barriers()).toEqual([])
    await codes.getByRole('button', { name: 'I have saved them' }).click()

    await page.context().clearCookies()
    await page.goto('/sign-in')
    const code = page.getByLabel('Code from your authenticator app')
    await page.getByRole('button', { name: 'Sign in with Lantern' }).click()
    await code.fill(shown(9))
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('alert').waitFor()
    expect(await opened.barriers()).toEqual([])
    // The code of the confirmation is used up.
    await code.fill(shown(1))
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.waitForURL(/\/a\/1\//)

    await page.context().clearCookies()
    await signIn(page, 'Ann', PASSWORD)
    await code.fill(recovery)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.waitForURL(/\/a\/1\//)
    await page.goto('/me')
    await page.getByRole('button', { name: 'Turn off' }).click()
    await page.getByRole('button', { name: 'Set up' }).waitFor()
    await opened.clean({ expected: [/40[01]/] })
  },
)

test('balances of a virtual user are kept to their last digit; an error appears in its cell', async () => {
  const { page } = opened
  await page.goto('/a/1/virtual-users')
  await page.getByRole('button', { name: 'Create a virtual user' }).first().click()
  await page.getByLabel('Label').fill('Vault')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('button', { name: 'Add a symbol' }).click()
  await page.getByLabel('Symbol, line 1').fill('XAU')
  await page.getByLabel('Source of the price, line 1').fill('fixed:2650.5')
  const amount = page.getByLabel('Amount, line 1')
  await amount.fill('1,5')
  await page.getByRole('button', { name: 'Save balances' }).click()
  await page.getByText('Use a point as the decimal separator, and no commas.').waitFor()
  await expect.poll(() => amount.getAttribute('aria-invalid')).toBe('true')
  expect(await opened.barriers()).toEqual([])

  const exact = '123456789012345678901234567.000000000000000001'
  await amount.fill(exact)
  await page.getByRole('button', { name: 'Add a token of a chain' }).click()
  await page.getByLabel('Chain, line 2').fill('nowhere')
  await page.getByLabel('Contract, line 2').fill(mine)
  await page.getByLabel('Amount, line 2').fill('1')
  await page.getByRole('button', { name: 'Save balances' }).click()
  await page.getByText('is not a chain whose tokens can be read').waitFor()
  await expect.poll(() => page.getByLabel('Chain, line 2').getAttribute('aria-invalid')).toBe('true')

  await page.getByRole('button', { name: 'Remove line 2' }).click()
  await page.getByRole('button', { name: 'Save balances' }).click()
  await page.locator('button:disabled:not([aria-busy=true])', { hasText: 'Save balances' }).waitFor()
  const [user] = (await answerOf(opened, '/virtual-users')) as { id: string }[]
  expect(await answerOf(opened, `/virtual-users/${user?.id}/balances`)).toMatchObject({
    balances: [{ symbol: 'XAU', priceSource: 'fixed:2650.5', amount: exact }],
  })
  await page.reload()
  await expect.poll(() => amount.inputValue()).toBe(exact)
  await opened.clean({ expected: [/400/] })
})
