import {
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
} from '@simplewebauthn/browser'

const ip = /^(\d+\.){3}\d+$|^\[/

/** WebAuthn needs https or localhost, and a host that is a name. */
export const passkeysWork = (): boolean =>
  isSecureContext && !ip.test(location.hostname) && typeof PublicKeyCredential === 'function'

/** What an authenticator answered, as JSON of WebAuthn level 3; the service verifies it. */
export type PasskeyAnswer = { [member: string]: unknown; id: string; rawId: string; type: string }

/** Makes a passkey; the options are the service's. */
export const makePasskey = async (options: unknown): Promise<PasskeyAnswer> => ({
  ...(await startRegistration({ optionsJSON: options as PublicKeyCredentialCreationOptionsJSON })),
})

/** Signs with a passkey; the options are the service's. */
export const signWithPasskey = async (options: unknown): Promise<PasskeyAnswer> => ({
  ...(await startAuthentication({ optionsJSON: options as PublicKeyCredentialRequestOptionsJSON })),
})
