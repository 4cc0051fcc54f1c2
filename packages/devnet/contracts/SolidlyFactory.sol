// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {SolidlyPool} from "./SolidlyPool.sol";

/// Makes pools, at most one of a kind for two tokens, and knows which are its own. Fees are hundredths of a percent.
contract SolidlyFactory {
    mapping(address one => mapping(address other => mapping(bool stable => address))) public getPool;
    mapping(address pool => bool) public isPool;
    address[] public allPools;

    function allPoolsLength() external view returns (uint256) {
        return allPools.length;
    }

    function createPool(address one, address other, bool stable) external returns (address pool) {
        (address token0, address token1) = one < other ? (one, other) : (other, one);
        require(getPool[token0][token1][stable] == address(0), "pool exists");
        pool = address(new SolidlyPool(token0, token1, stable));
        getPool[token0][token1][stable] = pool;
        getPool[token1][token0][stable] = pool;
        isPool[pool] = true;
        allPools.push(pool);
    }

    function getFee(address, bool stable) external pure returns (uint256) {
        return stable ? 5 : 30;
    }
}
