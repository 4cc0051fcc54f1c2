/**
 * Texts that must not be readable from the database alone: keys of exchanges, secrets of webhooks and of codes.
 *
 * The text is encrypted with a key of its own, which is encrypted with the master key that `key_id` is the fingerprint of.
 * Nonces of 12 bytes; a ciphertext ends with its tag of 16 bytes.
 */
export const statements = `
create table secret (
  id uuid primary key,
  account_id bigint not null references account,
  purpose text not null check (purpose <> ''),
  key_id bytea not null check (octet_length(key_id) = 16),
  key_nonce bytea not null check (octet_length(key_nonce) = 12),
  wrapped_key bytea not null check (octet_length(wrapped_key) = 48),
  nonce bytea not null check (octet_length(nonce) = 12),
  ciphertext bytea not null check (octet_length(ciphertext) >= 16),
  created_at timestamptz not null default now()
);
`
