-- Each text has its own key, wrapped by the master key with fingerprint `key_id`. Nonces: 12 bytes. A ciphertext ends
-- with its tag of 16 bytes.
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
