// Separate process: one Fastify route that only sends given answers.
import fastify from 'fastify'

/** By request URL. */
export type BareAnswers = Readonly<Record<string, { status: number; headers: Record<string, string>; body: string }>>

process.once('message', (given: BareAnswers) => void listen(given))

async function listen(given: BareAnswers): Promise<void> {
  const answers = new Map(
    Object.entries(given).map(([url, answer]) => [url, { ...answer, body: Buffer.from(answer.body) }]),
  )
  const app = fastify({ logger: false })
  app.get('/v1/portfolio', (request, reply) => {
    const answer = answers.get(request.url)
    if (answer) reply.code(answer.status).headers(answer.headers).send(answer.body)
    else reply.callNotFound()
  })
  // CPU time of this process in ms.
  app.get('/cpu', () => {
    const { user, system } = process.cpuUsage()
    return String((user + system) / 1000)
  })
  process.send?.(await app.listen({ host: '127.0.0.1', port: 0 }))
}
