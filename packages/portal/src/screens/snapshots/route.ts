import type { ScreenRoute } from '../../routes/screen-route.ts'

export const routes: ScreenRoute[] = [{ path: '/a/$account/snapshots', load: () => import('./snapshots-screen.tsx') }]
