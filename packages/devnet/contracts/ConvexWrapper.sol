// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ConvexDepositor} from "./ConvexDepositor.sol";
import {ConvexSidePool} from "./ConvexSidePool.sol";

/// `CvxCrvStakingWrapper`, as far as stakes go: it takes CRV too, turns it into cvxCRV, and has a log of payments of its own.
contract ConvexWrapper is ConvexSidePool {
    using SafeERC20 for IERC20;

    IERC20 private immutable crv;

    event Deposited(address indexed user, address indexed account, uint256 amount, bool isCrv);
    event RewardPaid(address indexed user, address indexed token, uint256 amount, address receiver);

    constructor(ConvexDepositor cvxCrv, IERC20 crv_, address[] memory tokens) ConvexSidePool(IERC20(cvxCrv), tokens) {
        crv = crv_;
        crv_.approve(address(cvxCrv), type(uint256).max);
    }

    function deposit(uint256 amount, address to) external {
        crv.safeTransferFrom(msg.sender, address(this), amount);
        uint256 before = share.balanceOf(address(this));
        ConvexDepositor(address(share)).deposit(amount);
        _mint(to, share.balanceOf(address(this)) - before);
        emit Deposited(msg.sender, to, amount, true);
    }

    function stake(uint256 amount, address to) external {
        share.safeTransferFrom(msg.sender, address(this), amount);
        _mint(to, amount);
        emit Deposited(msg.sender, to, amount, false);
    }

    function logPayment(address account, address token, address payee, uint256 amount) internal override {
        emit RewardPaid(account, token, amount, payee);
    }
}
