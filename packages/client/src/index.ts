export { type CallOptions, type Calls, type Client, type ClientOptions, createCalls, createClient } from './client.ts'
export { CofferError, ConnectionError, UnexpectedAnswerError } from './coffer-error.ts'
export { items, pages } from './pages.ts'
