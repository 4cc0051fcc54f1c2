import type { ScreenRoute } from '../../routes/screen-route.ts'

export const routes: ScreenRoute[] = [{ path: '/link', public: true, load: () => import('./link-screen.tsx') }]
