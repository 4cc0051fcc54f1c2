import { i18n } from '@lingui/core'
import { I18nProvider } from '@lingui/react'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode, Suspense } from 'react'
import { createRoot } from 'react-dom/client'
import { prove, useAskedProof } from './api/proving.ts'
import { queryClient } from './api/queries.ts'
import { reactTo } from './api/request.ts'
import { PauseBanner } from './components/pause-banner.tsx'
import { firstPause } from './lib/connection.ts'
import { startLanguage } from './lib/i18n-start.ts'
import { followBuilds, lazyPart } from './lib/parts.ts'
import { router } from './routes/router.tsx'
import './styles.css'

const ProofDialog = lazyPart(() => import('./components/proof-dialog.tsx'), 'ProofDialog')

/** Proof dialog next to the router; loads on first use. */
function Proving() {
  const asked = useAskedProof()
  return asked ? (
    <Suspense>
      <ProofDialog answer={asked.answer} />
    </Suspense>
  ) : null
}

reactTo({
  prove,
  signedOut: () => {
    queryClient.clear()
    const { pathname, href } = router.state.location
    if (pathname === '/sign-in') return
    void router.navigate({ to: '/sign-in', search: pathname === '/' ? {} : { next: href }, replace: true })
  },
})

followBuilds(import.meta.url)
async function start(root: HTMLElement): Promise<void> {
  await startLanguage()
  // Without a fallback: React shows content after one 300 ms later at the earliest.
  await Promise.race([router.load(), firstPause])
  createRoot(root).render(
    <StrictMode>
      <I18nProvider i18n={i18n}>
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
          <Proving />
          <PauseBanner />
        </QueryClientProvider>
      </I18nProvider>
    </StrictMode>,
  )
}

const root = document.getElementById('root')
if (!root) throw new Error('The page has no #root.')
// No top-level await: screens import this module's file and would wait until it has run.
void start(root)
