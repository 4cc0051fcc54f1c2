import { type ServiceOptions, startService, type TestService } from '../harness.ts'
import { ensurePortal } from './built-portal.ts'
import { enterByLink } from './enter-by-link.ts'
import { type FirstUser, firstUser, PASSWORD } from './first-user.ts'
import { CALM, type PageOptions, type TestBrowser, type TestPage } from './start-browser.ts'

export type Portal = Awaited<ReturnType<typeof startPortal>>
export type SignedInPortal = Portal & {
  user: FirstUser
  open(path: string, options?: Partial<PageOptions> & { cookie?: FirstUser['cookie'] }): Promise<TestPage>
}

export async function startSignedInPortal(browser: TestBrowser, options: ServiceOptions = {}): Promise<SignedInPortal> {
  const portal = await startPortal(browser, options)
  const { service, baseUrl } = portal
  const user = await firstUser(service)
  return {
    ...portal,
    user,
    async open(path, { cookie = user.cookie, ...page } = {}) {
      const opened = await portal.newPage(page)
      await opened.page.context().addCookies([{ ...cookie, url: baseUrl }])
      await opened.page.goto(path)
      return opened
    },
  }
}

/** Without a user. */
export async function startPortal(browser: TestBrowser, options: ServiceOptions = {}) {
  await ensurePortal()
  const service = await startService({ ...CALM, ...options })
  return { service, ...portalPages(browser, service), stop: service.stop }
}

export function portalPages(browser: TestBrowser, { url }: Pick<TestService, 'url'>) {
  const baseUrl = url.replace('127.0.0.1', 'localhost')
  const newPage = (options: Partial<PageOptions> = {}) => browser.newPage({ baseUrl, ...options })
  return {
    baseUrl,
    newPage,
    /** The page of a user who enters by a link for the first time. */
    async enterBy(token: string, name: string, options?: Partial<PageOptions>): Promise<TestPage> {
      const opened = await newPage(options)
      await enterByLink(opened.page, `/link#${token}`, name, PASSWORD)
      return opened
    },
  }
}
