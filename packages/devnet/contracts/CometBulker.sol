// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

interface IMarket {
    function supplyFrom(address from, address dst, address asset, uint256 amount) external;
    function withdrawFrom(address src, address to, address asset, uint256 amount) external;
    function transferAssetFrom(address src, address dst, address asset, uint256 amount) external;
}

interface IRewards {
    function claim(address comet, address src, bool shouldAccrue) external;
}

interface IWrapped is IERC20 {
    function deposit() external payable;
    function withdraw(uint256 amount) external;
}

/**
 * Does several things at markets of Compound v3 in one transaction, for accounts that allowed it to, and wraps or unwraps the
 * native coin on the way. Actions and their data are those of Compound's own bulker.
 */
contract CometBulker {
    error Refused();
    error UnhandledAction();

    IWrapped public immutable wrapped;

    constructor(IWrapped wrapped_) {
        wrapped = wrapped_;
    }

    receive() external payable {}

    function invoke(bytes32[] calldata actions, bytes[] calldata data) external payable {
        uint256 unused = msg.value;
        for (uint256 i = 0; i < actions.length; i++) unused -= act(actions[i], data[i]);
        if (unused > 0) pay(msg.sender, unused);
    }

    /// Returns how much of the native coin it took.
    function act(bytes32 action, bytes calldata data) private returns (uint256) {
        if (action == "ACTION_CLAIM_REWARD") {
            (address market, address rewards, address src, bool accrue) = abi.decode(data, (address, address, address, bool));
            IRewards(rewards).claim(market, src, accrue);
            return 0;
        }
        if (action == "ACTION_SUPPLY_NATIVE_TOKEN") return supplyCoin(data);
        if (action == "ACTION_WITHDRAW_NATIVE_TOKEN") return withdrawCoin(data);
        (IMarket comet, address to, address asset, uint256 amount) = abi.decode(data, (IMarket, address, address, uint256));
        if (action == "ACTION_SUPPLY_ASSET") comet.supplyFrom(msg.sender, to, asset, amount);
        else if (action == "ACTION_WITHDRAW_ASSET") comet.withdrawFrom(msg.sender, to, asset, amount);
        else if (action == "ACTION_TRANSFER_ASSET") comet.transferAssetFrom(msg.sender, to, asset, amount);
        else revert UnhandledAction();
        return 0;
    }

    function supplyCoin(bytes calldata data) private returns (uint256) {
        (IMarket comet, address to, uint256 amount) = abi.decode(data, (IMarket, address, uint256));
        wrapped.deposit{value: amount}();
        wrapped.approve(address(comet), amount);
        comet.supplyFrom(address(this), to, address(wrapped), amount);
        return amount;
    }

    function withdrawCoin(bytes calldata data) private returns (uint256) {
        (IMarket comet, address to, uint256 amount) = abi.decode(data, (IMarket, address, uint256));
        comet.withdrawFrom(msg.sender, address(this), address(wrapped), amount);
        wrapped.withdraw(amount);
        pay(to, amount);
        return 0;
    }

    function pay(address to, uint256 amount) private {
        (bool paid,) = to.call{value: amount}("");
        if (!paid) revert Refused();
    }
}
