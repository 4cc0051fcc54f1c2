import { type ServiceOptions, startService, type TestService } from '../harness.ts'
import { ensurePortal } from './built-portal.ts'
import { type FirstUser, firstUser } from './first-user.ts'
import { CALM, type PageOptions, type TestBrowser, type TestPage } from './open-browser.ts'

export type SignedInPortal = {
  service: TestService
  baseUrl: string
  user: FirstUser
  open(path: string, options?: Partial<PageOptions> & { cookie?: FirstUser['cookie'] }): Promise<TestPage>
  stop(): Promise<void>
}

export async function startSignedInPortal(browser: TestBrowser, options: ServiceOptions = {}): Promise<SignedInPortal> {
  await ensurePortal()
  const service = await startService({ ...CALM, ...options })
  const baseUrl = service.url.replace('127.0.0.1', 'localhost')
  const user = await firstUser(service)
  return {
    service,
    baseUrl,
    user,
    stop: service.stop,
    async open(path, { cookie = user.cookie, ...page } = {}) {
      const opened = await browser.newPage({ baseUrl, ...page })
      await opened.page.context().addCookies([{ ...cookie, url: baseUrl }])
      await opened.page.goto(path)
      return opened
    },
  }
}
