// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

interface Token {
    function balanceOf(address owner) external view returns (uint256);
}

interface Factory {
    function isPool(address pool) external view returns (bool);
}

interface Voter {
    function isGauge(address gauge) external view returns (bool);
}

interface Gauge {
    function stakingToken() external view returns (address);
    function rewardToken() external view returns (address);
    function earned(address account) external view returns (uint256);
}

interface Pool {
    function tokens() external view returns (address token0, address token1);
    function poolFees() external view returns (address);
    function totalSupply() external view returns (uint256);
    function balanceOf(address owner) external view returns (uint256);
    function index0() external view returns (uint256);
    function index1() external view returns (uint256);
    function supplyIndex0(address owner) external view returns (uint256);
    function supplyIndex1(address owner) external view returns (uint256);
    function claimable0(address owner) external view returns (uint256);
    function claimable1(address owner) external view returns (uint256);
}

/**
 * Pools and gauges of Velodrome v2 and its forks: which contracts are theirs, what a share of a pool stands for, which of
 * its fees an owner has not claimed, and what a gauge owes. It is never deployed: its runtime code travels with the call.
 */
contract SolidlyLens {
    /// pool: zero if the contract is neither a pool nor a gauge. reward: of a gauge, zero for a pool.
    struct Found {
        address pool;
        address token0;
        address token1;
        address reward;
    }

    uint256 private constant TOKEN_GAS = 200_000;
    uint256 private constant ONE = 1e18;

    /// The factory and the voter say what they made; the contracts themselves are asked only then.
    function recognise(address factory, address voter, address[] calldata contracts)
        external
        view
        returns (Found[] memory found)
    {
        found = new Found[](contracts.length);
        if (factory.code.length == 0) return found;
        for (uint256 i = 0; i < contracts.length; i++) {
            Found memory one = found[i];
            if (Factory(factory).isPool(contracts[i])) one.pool = contracts[i];
            else if (voter.code.length > 0 && Voter(voter).isGauge(contracts[i])) readGauge(factory, contracts[i], one);
            if (one.pool == address(0)) continue;
            (one.token0, one.token1) = Pool(one.pool).tokens();
            // A token that tells no balance leaves nothing to show.
            if (!tells(one.token0, one.pool) || !tells(one.token1, one.pool)) one.pool = address(0);
        }
    }

    /// Gauges of other pools, such as those of concentrated liquidity, have no token that is staked.
    function readGauge(address factory, address gauge, Found memory one) private view {
        (bool ok, bytes memory answer) = gauge.staticcall(abi.encodeCall(Gauge.stakingToken, ()));
        if (!ok || answer.length != 32) return;
        address pool = abi.decode(answer, (address));
        if (!Factory(factory).isPool(pool)) return;
        (one.pool, one.reward) = (pool, Gauge(gauge).rewardToken());
    }

    /// What burning the liquidity pays: a share of the balances, and nothing if either side is less than a unit.
    function burnt(address pool, address token0, address token1, uint256 liquidity)
        external
        view
        returns (uint256 amount0, uint256 amount1)
    {
        uint256 supply = Pool(pool).totalSupply();
        if (supply == 0) return (0, 0);
        amount0 = liquidity * balanceOf(token0, pool) / supply;
        amount1 = liquidity * balanceOf(token1, pool) / supply;
        if (amount0 == 0 || amount1 == 0) return (0, 0);
    }

    /// What `claimFees` pays the owner, whatever it holds now. Both or nothing: it reverts where either is not there.
    function unclaimed(address pool, address token0, address token1, address owner)
        external
        view
        returns (uint256 fees0, uint256 fees1)
    {
        Pool shares = Pool(pool);
        uint256 held = shares.balanceOf(owner);
        fees0 = shares.claimable0(owner);
        fees1 = shares.claimable1(owner);
        if (held > 0) {
            fees0 += held * (shares.index0() - shares.supplyIndex0(owner)) / ONE;
            fees1 += held * (shares.index1() - shares.supplyIndex1(owner)) / ONE;
        }
        if (fees0 == 0 && fees1 == 0) return (0, 0);
        address payer = shares.poolFees();
        if (fees0 > balanceOf(token0, payer) || fees1 > balanceOf(token1, payer)) return (0, 0);
    }

    /// What the gauge pays the owner now, as far as it has it.
    function owed(address gauge, address reward, address owner) external view returns (uint256 amount) {
        amount = Gauge(gauge).earned(owner);
        uint256 kept = balanceOf(reward, gauge);
        if (amount > kept) amount = kept;
    }

    function balanceOf(address token, address owner) private view returns (uint256) {
        return Token(token).balanceOf{gas: TOKEN_GAS}(owner);
    }

    function tells(address token, address owner) private view returns (bool) {
        bytes memory data = abi.encodeCall(Token.balanceOf, (owner));
        bool ok;
        // Of a stranger: answers are read into fixed room.
        assembly ("memory-safe") {
            ok := staticcall(TOKEN_GAS, token, add(data, 32), mload(data), 0, 32)
            ok := and(ok, gt(returndatasize(), 31))
        }
        return ok;
    }
}
