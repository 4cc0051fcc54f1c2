import type { ScreenRoute } from '../../routes/screen-route.ts'

export const routes: ScreenRoute[] = [{ path: '/a/$account/validators', load: () => import('./validators-screen.tsx') }]
