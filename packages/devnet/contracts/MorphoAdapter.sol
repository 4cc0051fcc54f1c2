// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {MarketParams} from "./MorphoVault.sol";

interface IMarkets {
    function supply(MarketParams memory params, uint256 assets, uint256 shares, address onBehalf, bytes memory data)
        external
        returns (uint256, uint256);
    function withdraw(MarketParams memory params, uint256 assets, uint256 shares, address onBehalf, address receiver)
        external
        returns (uint256, uint256);
    function borrow(MarketParams memory params, uint256 assets, uint256 shares, address onBehalf, address receiver)
        external
        returns (uint256, uint256);
    function repay(MarketParams memory params, uint256 assets, uint256 shares, address onBehalf, bytes memory data)
        external
        returns (uint256, uint256);
    function supplyCollateral(MarketParams memory params, uint256 assets, address onBehalf, bytes memory data) external;
    function withdrawCollateral(MarketParams memory params, uint256 assets, address onBehalf, address receiver) external;
}

interface IShares {
    function deposit(uint256 assets, address receiver) external returns (uint256);
    function redeem(uint256 shares, address receiver, address owner) external returns (uint256);
}

interface IWrappedCoin is IERC20 {
    function deposit() external payable;
    function withdraw(uint256 amount) external;
}

/**
 * Does several things at Morpho in one transaction for the caller, as Bundler3 with its general adapter does: tokens pass
 * through it, and it acts on positions of those who authorised it. The maximum stands for all that it has of a token.
 */
contract MorphoAdapter {
    IMarkets public immutable MORPHO;
    IWrappedCoin public immutable wrapped;

    constructor(IMarkets blue, IWrappedCoin wrapped_) {
        (MORPHO, wrapped) = (blue, wrapped_);
    }

    receive() external payable {}

    function multicall(bytes[] calldata calls) external payable {
        for (uint256 i = 0; i < calls.length; i++) {
            (bool done, bytes memory why) = address(this).delegatecall(calls[i]);
            if (done) continue;
            assembly {
                revert(add(why, 32), mload(why))
            }
        }
    }

    function pull(IERC20 token, uint256 amount) external payable {
        require(token.transferFrom(msg.sender, address(this), amount));
    }

    /// All that is left of a token.
    function sweep(IERC20 token, address to) external payable {
        require(token.transfer(to, token.balanceOf(address(this))));
    }

    function wrap() external payable {
        wrapped.deposit{value: address(this).balance}();
    }

    function unwrap(address to) external payable {
        uint256 amount = wrapped.balanceOf(address(this));
        wrapped.withdraw(amount);
        (bool paid,) = to.call{value: amount}("");
        require(paid);
    }

    function supply(MarketParams memory params, uint256 assets, address onBehalf) external payable {
        MORPHO.supply(params, ready(params.loanToken, address(MORPHO), assets), 0, onBehalf, "");
    }

    function withdraw(MarketParams memory params, uint256 assets, uint256 shares, address receiver) external payable {
        MORPHO.withdraw(params, assets, shares, msg.sender, receiver);
    }

    function supplyCollateral(MarketParams memory params, uint256 assets, address onBehalf) external payable {
        MORPHO.supplyCollateral(params, ready(params.collateralToken, address(MORPHO), assets), onBehalf, "");
    }

    function withdrawCollateral(MarketParams memory params, uint256 assets, address receiver) external payable {
        MORPHO.withdrawCollateral(params, assets, msg.sender, receiver);
    }

    function borrow(MarketParams memory params, uint256 assets, address receiver) external payable {
        MORPHO.borrow(params, assets, 0, msg.sender, receiver);
    }

    function repay(MarketParams memory params, uint256 assets, uint256 shares) external payable {
        ready(params.loanToken, address(MORPHO), assets);
        MORPHO.repay(params, assets, shares, msg.sender, "");
    }

    function deposit(IERC20 asset, IShares vault, uint256 assets, address receiver) external payable {
        vault.deposit(ready(address(asset), address(vault), assets), receiver);
    }

    /// Shares of the caller, who allowed it.
    function redeem(IShares vault, uint256 shares, address receiver) external payable {
        vault.redeem(shares, receiver, msg.sender);
    }

    function ready(address token, address spender, uint256 amount) private returns (uint256) {
        require(IERC20(token).approve(spender, type(uint256).max));
        return amount == type(uint256).max ? IERC20(token).balanceOf(address(this)) : amount;
    }
}
