import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, type BrowserContext, type CDPSession, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { processEnv } from '../../src/config/env.ts'
import { sized } from '../sized.ts'
import { findChromium } from './chromium.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** WCAG 2.0 to 2.2, levels A and AA, and what axe holds to be good practice. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** Roles of what is read aloud by its name; the root's is the title of the page. */
const NAMED = new Set([
  ...['RootWebArea', 'dialog', 'alertdialog', 'heading', 'image', 'progressbar', 'button', 'link', 'tab', 'menuitem'],
  ...['textbox', 'searchbox', 'spinbutton', 'combobox', 'listbox', 'checkbox', 'radio', 'switch', 'slider'],
])

/** Reports a violation of the page's policy from its first moment on. */
const WATCH_POLICY = `addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) => {
  reportViolation(effectiveDirective + ' ' + blockedURI)
}, true)`
/** A machine that is busy with other things takes several times as long: bounds what hangs, in ms. */
const LONGEST_WAIT_MS = 120_000
/** For a service that pages are opened on: it sheds no request while the browser keeps the machine busy, which a person would repeat. */
export const CALM = { eventLoopDelayMs: () => 0 }
/** Lets the events that are due happen. */
const SETTLE = 'new Promise((resolve) => setTimeout(resolve))'

export type PageOptions = {
  /** What paths are relative to; requests to another origin than this one are recorded. */
  baseUrl: string
  /** In CSS pixels; 1280 × 800 unless given. */
  viewport?: { width: number; height: number }
  /** `light` unless given. */
  theme?: 'light' | 'dark'
  /** Language of the browser, `en-US` unless given. */
  locale?: string
}

/** What went wrong on a page since it was opened. */
export type Faults = {
  /** Of its Content-Security-Policy, each as directive and what was blocked. */
  violations: string[]
  consoleErrors: string[]
  /** Exceptions that nothing caught. */
  pageErrors: string[]
  /** URLs of other origins that were asked for. */
  foreignRequests: string[]
}

/** A broken rule of accessibility, with the elements that break it. */
export type AxeViolation = { rule: string; impact: string; elements: string[] }

export type TestPage = {
  page: Page
  /** What went wrong so far. */
  faults(): Promise<Faults>
  /** Fails if anything went wrong but the console errors that are expected, each of which must have been printed. */
  clean(options?: { expected?: readonly RegExp[] }): Promise<void>
  /** The rules of accessibility that the page breaks as it is shown now, of all or of those named. */
  axe(rules?: readonly string[]): Promise<AxeViolation[]>
  /**
   * Barriers of the page as it is shown now: by all rules of accessibility in `npm run test:deep`. `npm test` asks
   * Chromium for what has no name, in a twentieth of the time; there `portal-screens` tries all rules on each screen.
   */
  barriers(): Promise<AxeViolation[]>
  /** Gives the page an authenticator for passkeys, whose user agrees to everything. */
  addAuthenticator(): Promise<Authenticator>
}

export type Authenticator = {
  /** Ids of the passkeys that it holds, as base64. */
  credentialIds(): Promise<string[]>
  /** Whether its user proves to be the right one from now on. */
  setVerified(isVerified: boolean): Promise<void>
  /** Forgets everything, as a lost device does. */
  remove(): Promise<void>
}

export type TestBrowser = {
  /** A page with storage and cookies of its own; closed at the end of the test. */
  newPage(options: PageOptions): Promise<TestPage>
}

/** One browser for the tests of a file, called at its top: started before the first of them and closed after the last. */
export function openBrowser(): TestBrowser {
  let browser: Browser
  const contexts: BrowserContext[] = []
  beforeAll(async () => {
    const { executable, env } = findChromium()
    browser = await chromium.launch({ executablePath: executable, env: { ...processEnv(), ...env } })
  })
  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()))
  })
  afterAll(() => browser?.close())
  return {
    async newPage({ baseUrl, viewport = { width: 1280, height: 800 }, theme = 'light', locale = 'en-US' }) {
      const context = await browser.newContext({ baseURL: baseUrl, viewport, colorScheme: theme, locale })
      context.setDefaultTimeout(LONGEST_WAIT_MS)
      contexts.push(context)
      return watch(await context.newPage(), new URL(baseUrl).origin)
    },
  }
}

async function watch(page: Page, origin: string): Promise<TestPage> {
  const seen: Faults = { violations: [], consoleErrors: [], pageErrors: [], foreignRequests: [] }
  await page.exposeBinding('reportViolation', (_, violation: string) => void seen.violations.push(violation))
  await page.addInitScript(WATCH_POLICY)
  page.on('console', (message) => {
    if (message.type() === 'error') seen.consoleErrors.push(`${message.text()} (${message.location().url})`)
  })
  page.on('pageerror', ({ message }) => seen.pageErrors.push(message))
  const notice = (url: string) => {
    if (/^(https?|wss?):/.test(url) && new URL(url).host !== new URL(origin).host) seen.foreignRequests.push(url)
  }
  page.context().on('request', (request) => notice(request.url()))
  page.on('websocket', (socket) => notice(socket.url()))
  const session = await page.context().newCDPSession(page)

  async function faults(): Promise<Faults> {
    await page.evaluate(SETTLE)
    return structuredClone(seen)
  }

  return {
    page,
    faults,
    async clean({ expected = [] } = {}) {
      const found = await faults()
      const unseen = expected.filter((pattern) => !found.consoleErrors.some((line) => pattern.test(line)))
      const consoleErrors = found.consoleErrors.filter((line) => !expected.some((pattern) => pattern.test(line)))
      const lines = [
        ...Object.entries({ ...found, consoleErrors }).flatMap(([kind, seen]) => seen.map((one) => `${kind}: ${one}`)),
        ...unseen.map((pattern) => `expected, but not printed: ${pattern}`),
      ]
      expect(lines, lines.join('\n')).toEqual([])
    },
    axe: (rules) => runAxe(page, rules),
    barriers: () => sized({ small: () => nameless(session), deep: () => runAxe(page) })(),
    addAuthenticator: () => addAuthenticator(session),
  }
}

async function runAxe(page: Page, rules?: readonly string[]): Promise<AxeViolation[]> {
  type Result = { id: string; impact: string | null; nodes: { html: string }[] }
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(AXE)
  // What happens to lie under the header that stays is none too small.
  await page.evaluate('scrollTo(0, 0)')
  const runOnly = rules ? { type: 'rule', values: rules } : RULES
  const options = JSON.stringify({ runOnly, resultTypes: ['violations'], selectors: false })
  const violations = await page.evaluate<Result[]>(`axe.run(${options}).then(({ violations }) => violations)`)
  return violations.map(({ id, impact, nodes }) => ({
    rule: id,
    impact: impact ?? 'minor',
    elements: nodes.map(({ html }) => html),
  }))
}

/** What the browser tells assistive technology of without a name. */
async function nameless(session: CDPSession): Promise<AxeViolation[]> {
  const { nodes } = await session.send('Accessibility.getFullAXTree')
  const found = nodes.filter(({ ignored, role, name }) => !ignored && NAMED.has(role?.value) && !name?.value?.trim())
  return found.map(({ role }) => ({ rule: 'name', impact: 'serious', elements: [String(role?.value)] }))
}

async function addAuthenticator(session: CDPSession): Promise<Authenticator> {
  await session.send('WebAuthn.enable')
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return {
    async credentialIds() {
      const { credentials } = await session.send('WebAuthn.getCredentials', { authenticatorId })
      return credentials.map(({ credentialId }) => credentialId)
    },
    async setVerified(isUserVerified) {
      await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified })
    },
    async remove() {
      await session.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId })
    },
  }
}
