// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

interface IPool {
    function mint(address to) external returns (uint256);
    function burn(address to) external returns (uint256, uint256);
}

interface IGauge {
    function deposit(uint256 amount, address to) external;
}

/// Stands between a wallet and a pool: adds and removes liquidity, swaps nothing, and stakes what it adds if a gauge is named.
contract SolidlyRouter {
    using SafeERC20 for IERC20;

    function add(address pool, address token0, address token1, uint256 amount0, uint256 amount1, address gauge) external {
        IERC20(token0).safeTransferFrom(msg.sender, pool, amount0);
        IERC20(token1).safeTransferFrom(msg.sender, pool, amount1);
        if (gauge == address(0)) {
            IPool(pool).mint(msg.sender);
            return;
        }
        uint256 liquidity = IPool(pool).mint(address(this));
        IERC20(pool).forceApprove(gauge, liquidity);
        IGauge(gauge).deposit(liquidity, msg.sender);
    }

    function remove(address pool, uint256 liquidity) external {
        IERC20(pool).safeTransferFrom(msg.sender, pool, liquidity);
        IPool(pool).burn(msg.sender);
    }

    function stake(address pool, uint256 liquidity, address gauge) external {
        IERC20(pool).safeTransferFrom(msg.sender, address(this), liquidity);
        IERC20(pool).forceApprove(gauge, liquidity);
        IGauge(gauge).deposit(liquidity, msg.sender);
    }
}
