-- Blocks of searched forks are stored with the coverage of the history, in one row.
insert into wallet_coverage as stored (wallet, chain, purpose, blocks, heads)
select wallet, chain, 'history', '{}', jsonb_agg(jsonb_build_object('block', block::text, 'hash', hash) order by block desc)
from known_block group by wallet, chain
on conflict (wallet, chain, purpose) do update set heads = excluded.heads;
drop table known_block;
