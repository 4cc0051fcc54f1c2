import { SCOPE_READS } from '../../routes/scope-reads.ts'
import type { ScreenRoute } from '../../routes/screen-route.ts'

export const routes: ScreenRoute[] = [
  { path: '/a/$account/portfolio', load: () => import('./portfolio-screen.tsx'), reads: SCOPE_READS },
]
