// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

struct PoolKey {
    address currency0;
    address currency1;
    uint24 fee;
    int24 tickSpacing;
    address hooks;
}

interface IPositionManager {
    function modifyLiquidities(bytes calldata unlockData, uint256 deadline) external payable;
}

interface IPermit2 {
    function approve(address token, address spender, uint160 amount, uint48 expiration) external;
}

/// Opens positions of Uniswap v4 for its callers: takes what they offer at most, and gives back the rest.
contract PositionZap {
    IPositionManager public immutable manager;
    IPermit2 public immutable permit2;

    constructor(IPositionManager manager_, IPermit2 permit2_) {
        manager = manager_;
        permit2 = permit2_;
    }

    receive() external payable {}

    function open(PoolKey calldata key, int24 lower, int24 upper, uint256 liquidity, uint128[2] calldata most)
        external
        payable
    {
        pull(key.currency0, most[0]);
        pull(key.currency1, most[1]);
        // MINT_POSITION, SETTLE_PAIR, SWEEP
        bytes memory actions = hex"020d14";
        bytes[] memory parameters = new bytes[](3);
        parameters[0] = abi.encode(key, lower, upper, liquidity, most[0], most[1], msg.sender, bytes(""));
        parameters[1] = abi.encode(key.currency0, key.currency1);
        parameters[2] = abi.encode(address(0), address(this));
        manager.modifyLiquidities{value: msg.value}(abi.encode(actions, parameters), type(uint256).max);
        giveBack(key.currency0);
        giveBack(key.currency1);
    }

    function pull(address currency, uint256 most) private {
        if (currency == address(0)) return;
        require(IERC20(currency).transferFrom(msg.sender, address(this), most), "not paid");
        IERC20(currency).approve(address(permit2), type(uint256).max);
        permit2.approve(currency, address(manager), type(uint160).max, type(uint48).max);
    }

    function giveBack(address currency) private {
        if (currency == address(0)) {
            (bool paid, ) = msg.sender.call{value: address(this).balance}("");
            require(paid, "refused");
            return;
        }
        uint256 left = IERC20(currency).balanceOf(address(this));
        if (left > 0) require(IERC20(currency).transfer(msg.sender, left), "not given back");
    }
}
