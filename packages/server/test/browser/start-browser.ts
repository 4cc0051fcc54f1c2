import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, type BrowserContext, type CDPSession, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { processEnv } from '../../src/config/env.ts'
import { sized } from '../sized.ts'
import { findChromium } from './chromium.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** WCAG 2.0 to 2.2, levels A and AA, and axe's good practice. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** Roles read aloud by name; the root's is the page title. */
const NAMED = new Set([
  ...['RootWebArea', 'dialog', 'alertdialog', 'heading', 'image', 'progressbar', 'button', 'link', 'tab', 'menuitem'],
  ...['textbox', 'searchbox', 'spinbutton', 'combobox', 'listbox', 'checkbox', 'radio', 'switch', 'slider'],
])

/** Runs from the page's first moment on. */
const WATCH_POLICY = `addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) => {
  reportViolation(effectiveDirective + ' ' + blockedURI)
}, true)`
/** In ms. Bounds hangs: a busy machine takes several times as long. */
const LONGEST_WAIT_MS = 120_000
/** Stops load shedding while the browser keeps the machine busy; a person would retry. */
export const CALM = { eventLoopDelayMs: () => 0 }
const SETTLE = 'new Promise((resolve) => setTimeout(resolve))'

export type PageOptions = {
  /** Requests to other origins are recorded. */
  baseUrl: string
  /** In CSS pixels, 1280 × 800 by default. */
  viewport?: { width: number; height: number }
  /** `light` by default. */
  theme?: 'light' | 'dark'
  /** `en-US` by default. */
  locale?: string
}

export type Faults = {
  /** Content-Security-Policy: directive and blocked URL. */
  violations: string[]
  consoleErrors: string[]
  pageErrors: string[]
  foreignRequests: string[]
}

export type AxeViolation = { rule: string; impact: string; elements: string[] }

export type TestPage = {
  page: Page
  faults(): Promise<Faults>
  /** Allows only expected console errors. Each of them must have been printed. */
  clean(options?: { expected?: readonly RegExp[] }): Promise<void>
  /** All rules by default. */
  axe(rules?: readonly string[]): Promise<AxeViolation[]>
  /**
   * All accessibility rules in `npm run test:deep`. `npm test` asks Chromium for elements without a name, in a
   * twentieth of the time; `portal-screens` there tries all rules on each screen.
   */
  barriers(): Promise<AxeViolation[]>
  /** Its user agrees to everything. */
  addAuthenticator(): Promise<Authenticator>
}

export type Authenticator = {
  /** In base64. */
  credentialIds(): Promise<string[]>
  setVerified(isVerified: boolean): Promise<void>
  /** As a lost device does. */
  remove(): Promise<void>
}

export type TestBrowser = {
  /** Own storage and cookies; closed at the end of the test. */
  newPage(options: PageOptions): Promise<TestPage>
}

/** One browser per file: call at its top. */
export function startBrowser(): TestBrowser {
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
  // Elements under the sticky header would count as too small.
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
