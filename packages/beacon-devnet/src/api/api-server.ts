import { type BeaconApiMethods, registerRoutes } from '@lodestar/api/beacon/server'
import { ApiError } from '@lodestar/api/server'
import { type FastifyError, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import type { BeaconChain, ChainEvent } from '../chain/beacon-chain.ts'
import type { Faults, FaultyAnswer } from '../faults.ts'
import { blockRoutes } from './block-routes.ts'
import { faultyBody } from './faulty-body.ts'
import { createLookup } from './lookup.ts'
import { configRoutes, genesisRoutes, nodeRoutes, validatorRoutes } from './node-routes.ts'
import { stateRoutes } from './state-routes.ts'

const HOST = '127.0.0.1'

const others = <T extends object>(methods: Partial<T>): T =>
  new Proxy(methods as T, {
    get: (known, name) =>
      Reflect.get(known, name) ??
      (async () => {
        throw new ApiError(501, `Not implemented: ${String(name)}`)
      }),
  })

/** Lists are repeated or separated by commas. */
const parseQuery = (query: string): Record<string, string | string[]> => {
  const entries = new Map<string, string[]>()
  for (const [name, value] of new URLSearchParams(query)) {
    entries.set(name, [...(entries.get(name) ?? []), ...value.split(',')])
  }
  return Object.fromEntries(
    [...entries].map(([name, values]) => [name, values.length > 1 ? values : (values[0] ?? '')]),
  )
}

const onError = (error: FastifyError, _request: FastifyRequest, reply: FastifyReply) => {
  const [invalid] = error.validation ?? []
  const code = invalid ? 400 : (error.statusCode ?? 500)
  const message = invalid ? `${invalid.instancePath.split('/').pop()} ${invalid.message}` : error.message
  return reply.status(code).send({ code, message })
}

const createFaultyAnswers = () => {
  let answers: { answer: FaultyAnswer; left: number }[] = []
  return {
    set: (all: readonly FaultyAnswer[] = []): void => {
      answers = all.map((answer) => ({ answer, left: answer.times ?? Infinity }))
    },
    take: (url: string): FaultyAnswer | undefined => {
      const found = answers.find(({ answer, left }) => left > 0 && new RegExp(answer.path).test(url))
      if (found) found.left--
      return found?.answer
    },
  }
}

const createEvents = (isSilent: () => boolean) => {
  type Arguments = Parameters<BeaconApiMethods['events']['eventstream']>[0]
  const listeners = new Set<Arguments>()
  const wordingOf = (event: ChainEvent) => {
    const { type, ...message } = event
    const dutyRoots =
      type === 'head'
        ? { epochTransition: false, previousDutyDependentRoot: event.block, currentDutyDependentRoot: event.block }
        : {}
    return { type, message: { ...message, ...dutyRoots, executionOptimistic: false } }
  }
  return {
    emit: (event: ChainEvent): void => {
      if (isSilent()) return
      for (const { topics, onEvent } of listeners) {
        if ((topics as string[]).includes(event.type)) onEvent(wordingOf(event) as never)
      }
    },
    eventstream: async (listener: Arguments): Promise<void> => {
      listeners.add(listener)
      listener.signal.addEventListener('abort', () => listeners.delete(listener))
    },
  }
}

export const startApiServer = async (chain: BeaconChain, { preset, port }: { preset: string; port: number }) => {
  let faults: Faults = {}
  let requests: string[] = []
  const answers = createFaultyAnswers()
  const events = createEvents(() => faults.silentEvents ?? false)
  const lookup = createLookup(chain, () => faults)
  const server = fastify({
    logger: false,
    forceCloseConnections: true,
    ajv: { customOptions: { coerceTypes: 'array' } },
    routerOptions: { querystringParser: parseQuery },
  })
  server.setErrorHandler(onError)
  server.setNotFoundHandler(({ method, url }, reply) =>
    reply.code(404).send({ code: 404, message: `Route ${method}:${url} not found` }),
  )
  server.addHook('onRequest', async ({ method, url }, reply) => {
    requests.push(`${method} ${url}`)
    if (faults.hangs) return new Promise<void>(() => undefined)
    const answer = answers.take(url)
    if (!answer) return
    const { status, message = `error ${status}` } = answer
    return reply.code(status).send({ code: status, message })
  })
  server.addHook('onSend', async ({ url }, reply, body) =>
    typeof body === 'string' && reply.statusCode === 200 ? faultyBody(url, body, faults) : body,
  )
  const methods = {
    beacon: others({ ...genesisRoutes(chain), ...stateRoutes(lookup), ...blockRoutes(chain, lookup, () => faults) }),
    config: others(configRoutes(chain, preset)),
    node: others(nodeRoutes(chain, () => faults)),
    validator: others(validatorRoutes(chain, lookup)),
    events: others({ eventstream: events.eventstream }),
  } as unknown as BeaconApiMethods
  registerRoutes(server as never, chain.config, methods, ['beacon', 'config', 'node', 'validator', 'events'])
  const url = await server.listen({ port, host: HOST })
  return {
    url,
    emit: events.emit,
    setFaults: (next: Faults): void => {
      faults = next
      answers.set(next.answers)
    },
    takeRequests: (): string[] => {
      const taken = requests
      requests = []
      return taken
    },
    close: () => server.close(),
  }
}
