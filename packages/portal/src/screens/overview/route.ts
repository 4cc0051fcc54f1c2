import type { ScreenRoute } from '../../routes/screen-route.ts'

export const routes: ScreenRoute[] = [{ path: '/a/$account/overview', load: () => import('./overview-screen.tsx') }]
