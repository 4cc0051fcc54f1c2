import type { ScreenRoute } from '../../routes/screen-route.ts'

export const routes: ScreenRoute[] = [{ path: '/a/$account/portfolio', load: () => import('./portfolio-screen.tsx') }]
