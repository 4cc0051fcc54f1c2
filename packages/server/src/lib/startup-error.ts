/** Only the operator can change it. The message is one sentence, shown unchanged, that says what to do. */
export class StartupError extends Error {
  override readonly name = 'StartupError'
}
