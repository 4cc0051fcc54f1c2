import { type LocalServer, serveLocally } from '../local-server.ts'

export async function startFailingNode(afterMs = 20): Promise<LocalServer> {
  return serveLocally((request, response) => {
    request.resume()
    setTimeout(() => response.writeHead(500).end(), afterMs)
  })
}
