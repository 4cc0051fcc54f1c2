-- Parts go some at a time, as results do: a statement that cascades over those of a long history takes too long.
alter table accounting_part drop constraint accounting_part_scope_fkey;
