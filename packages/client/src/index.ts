export { type Calls, type Client, type ClientOptions, createCalls, createClient } from './client.ts'
export { CofferError } from './coffer-error.ts'
