// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// What Curve's MetaRegistry and factories say of pools, for those that were entered. Each refuses or says nothing of others.
contract CurveRegistry {
    mapping(address => address) private pools;
    mapping(address => address[2]) private crypto;
    mapping(address => uint256) private counts;

    function register(address token, address pool) external {
        pools[token] = pool;
    }

    function makeStable(address pool, uint256 count) external {
        counts[pool] = count;
    }

    function makeCrypto(address pool, address[2] calldata coins) external {
        crypto[pool] = coins;
    }

    function get_pool_from_lp_token(address token) external view returns (address) {
        require(pools[token] != address(0), "no handler");
        return pools[token];
    }

    function get_n_coins(address pool) external view returns (uint256) {
        return counts[pool];
    }

    function get_coins(address pool) external view returns (address[2] memory) {
        return crypto[pool];
    }
}
