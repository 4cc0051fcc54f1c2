import {
  type AnyRoute,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import { ApiProblem } from '../api/problem.ts'
import { queryClient, sessionQuery } from '../api/queries.ts'
import { Page } from '../components/page.tsx'
import { Skeleton } from '../components/states.tsx'
import { loadScreenTexts, t } from '../lib/i18n.ts'
import { loadPart } from '../lib/parts.ts'
import { landingPath } from './landing.ts'
import { NotFound, RouteError } from './route-states.tsx'
import { type ScreenRoute, screenRoutes } from './screen-route.ts'
import { Shell } from './shell.tsx'

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound })

const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  component: Shell,
  beforeLoad: async ({ location }) => {
    try {
      await queryClient.ensureQueryData(sessionQuery)
    } catch (error) {
      if (!(error instanceof ApiProblem && error.status === 401)) throw error
      const search = location.pathname === '/' ? {} : { next: location.href }
      throw redirect({ to: '/sign-in', search, replace: true })
    }
  },
})

const index = createRoute({
  getParentRoute: () => shell,
  path: '/',
  beforeLoad: async () => {
    throw redirect({ to: landingPath(await queryClient.ensureQueryData(sessionQuery)), replace: true })
  },
})

/** `/a/1` opens the account's first screen. */
const account = createRoute({
  getParentRoute: () => shell,
  path: '/a/$account',
  beforeLoad: async ({ params }) => {
    throw redirect({ to: landingPath(await queryClient.ensureQueryData(sessionQuery), params.account), replace: true })
  },
})

function routeOf({ path, load, folder }: ScreenRoute & { folder: string }, parent: AnyRoute): AnyRoute {
  return createRoute({
    getParentRoute: () => parent,
    path,
    component: lazyRouteComponent(
      () => loadPart(async () => (await Promise.all([load(), loadScreenTexts(folder)]))[0]),
      'Screen',
    ),
  })
}

const open = screenRoutes.filter((screen) => screen.public).map((screen) => routeOf(screen, root))
const guarded = screenRoutes.filter((screen) => !screen.public).map((screen) => routeOf(screen, shell))

/** Shown when a screen takes longer than a second to load. */
function Loading() {
  return (
    <Page title={t('Loading')}>
      <Skeleton lines={6} />
    </Page>
  )
}

export const router = createRouter({
  routeTree: root.addChildren([...open, shell.addChildren([index, account, ...guarded])]),
  defaultErrorComponent: RouteError,
  defaultNotFoundComponent: NotFound,
  defaultPendingComponent: Loading,
  defaultPreload: 'intent',
  // Queries keep the data; routes keep none.
  defaultPreloadStaleTime: 0,
  scrollRestoration: true,
})
