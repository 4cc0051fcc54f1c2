/** The part of autocannon that the load generator uses; the package has no types of its own. */
declare module 'autocannon' {
  type Request = { method: 'GET'; path: string; headers: Record<string, string> }
  type Options = {
    url: string
    connections: number
    /** Seconds. */
    duration: number
    setupClient(client: { setRequests(requests: readonly Request[]): void }): void
  }
  /** Latencies in ms. */
  type Result = {
    duration: number
    '2xx': number
    non2xx: number
    errors: number
    latency: { p50: number; p99: number }
  }
  function autocannon(options: Options): Promise<Result>
  export = autocannon
}
