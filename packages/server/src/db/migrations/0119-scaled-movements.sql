create index history_movement_scaled on history_movement (wallet, chain, token, block) where multiplier is not null;
