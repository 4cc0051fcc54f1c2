// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";

/**
 * A tokenised vault of Symbiotic as far as stakers see it: shares of what is staked, and shares of what each epoch pays out. What
 * leaves in an epoch can be claimed once the next one is over, and can be slashed until then. Anyone may slash here.
 */
contract EpochVault is ERC20 {
    using Math for uint256;
    using SafeERC20 for IERC20;

    address public immutable collateral;
    address public immutable burner;
    uint48 public immutable epochDurationInit;
    uint48 public immutable epochDuration;

    uint256 public activeStake;
    mapping(uint256 epoch => uint256 amount) public withdrawals;
    mapping(uint256 epoch => uint256 amount) public withdrawalShares;
    mapping(uint256 epoch => mapping(address account => uint256 amount)) public withdrawalSharesOf;
    mapping(uint256 epoch => mapping(address account => bool value)) public isWithdrawalsClaimed;

    event Deposit(address indexed depositor, address indexed onBehalfOf, uint256 amount, uint256 shares);
    event Withdraw(
        address indexed withdrawer, address indexed claimer, uint256 amount, uint256 burnedShares, uint256 mintedShares
    );
    event Claim(address indexed claimer, address indexed recipient, uint256 epoch, uint256 amount);
    event ClaimBatch(address indexed claimer, address indexed recipient, uint256[] epochs, uint256 amount);
    event OnSlash(uint256 amount, uint48 captureTimestamp, uint256 slashedAmount);

    error AlreadyClaimed();
    error InsufficientClaim();
    error InsufficientDeposit();
    error InsufficientRedemption();
    error InsufficientWithdrawal();
    error InvalidCaptureEpoch();
    error InvalidClaimer();
    error InvalidEpoch();
    error InvalidLengthEpochs();
    error InvalidOnBehalfOf();
    error InvalidRecipient();
    error InvalidTimestamp();
    error TooMuchRedeem();
    error TooMuchWithdraw();

    constructor(address collateral_, address burner_, uint48 duration) ERC20("Staked token", "stTKN") {
        (collateral, burner, epochDuration) = (collateral_, burner_, duration);
        epochDurationInit = uint48(block.timestamp);
    }

    function epochAt(uint48 timestamp) public view returns (uint256) {
        if (timestamp < epochDurationInit) revert InvalidTimestamp();
        return (timestamp - epochDurationInit) / epochDuration;
    }

    function currentEpoch() public view returns (uint256) {
        return epochAt(uint48(block.timestamp));
    }

    function currentEpochStart() public view returns (uint48) {
        return uint48(epochDurationInit + currentEpoch() * epochDuration);
    }

    function nextEpochStart() external view returns (uint48) {
        return currentEpochStart() + epochDuration;
    }

    function totalStake() external view returns (uint256) {
        uint256 epoch = currentEpoch();
        return activeStake + withdrawals[epoch] + withdrawals[epoch + 1];
    }

    function activeShares() public view returns (uint256) {
        return totalSupply();
    }

    function activeSharesOf(address account) public view returns (uint256) {
        return balanceOf(account);
    }

    function activeBalanceOf(address account) public view returns (uint256) {
        return assetsOf(activeSharesOf(account), activeStake, activeShares());
    }

    function withdrawalsOf(uint256 epoch, address account) public view returns (uint256) {
        return assetsOf(withdrawalSharesOf[epoch][account], withdrawals[epoch], withdrawalShares[epoch]);
    }

    function slashableBalanceOf(address account) external view returns (uint256) {
        uint256 epoch = currentEpoch();
        return activeBalanceOf(account) + withdrawalsOf(epoch, account) + withdrawalsOf(epoch + 1, account);
    }

    function deposit(address onBehalfOf, uint256 amount) external returns (uint256 deposited, uint256 minted) {
        if (onBehalfOf == address(0)) revert InvalidOnBehalfOf();
        uint256 before = IERC20(collateral).balanceOf(address(this));
        IERC20(collateral).safeTransferFrom(msg.sender, address(this), amount);
        deposited = IERC20(collateral).balanceOf(address(this)) - before;
        if (deposited == 0) revert InsufficientDeposit();
        minted = sharesFor(deposited, activeShares(), activeStake, Math.Rounding.Floor);
        activeStake += deposited;
        emit Deposit(msg.sender, onBehalfOf, deposited, minted);
        _mint(onBehalfOf, minted);
    }

    function withdraw(address claimer, uint256 amount) external returns (uint256 burned, uint256 minted) {
        if (claimer == address(0)) revert InvalidClaimer();
        if (amount == 0) revert InsufficientWithdrawal();
        burned = sharesFor(amount, activeShares(), activeStake, Math.Rounding.Ceil);
        if (burned > activeSharesOf(msg.sender)) revert TooMuchWithdraw();
        minted = leave(claimer, amount, burned);
    }

    function redeem(address claimer, uint256 shares) external returns (uint256 withdrawn, uint256 minted) {
        if (claimer == address(0)) revert InvalidClaimer();
        if (shares > activeSharesOf(msg.sender)) revert TooMuchRedeem();
        withdrawn = assetsOf(shares, activeStake, activeShares());
        if (withdrawn == 0) revert InsufficientRedemption();
        minted = leave(claimer, withdrawn, shares);
    }

    function claim(address recipient, uint256 epoch) external returns (uint256 amount) {
        if (recipient == address(0)) revert InvalidRecipient();
        amount = settle(epoch);
        IERC20(collateral).safeTransfer(recipient, amount);
        emit Claim(msg.sender, recipient, epoch, amount);
    }

    function claimBatch(address recipient, uint256[] calldata epochs) external returns (uint256 amount) {
        if (recipient == address(0)) revert InvalidRecipient();
        if (epochs.length == 0) revert InvalidLengthEpochs();
        for (uint256 i = 0; i < epochs.length; i++) amount += settle(epochs[i]);
        IERC20(collateral).safeTransfer(recipient, amount);
        emit ClaimBatch(msg.sender, recipient, epochs, amount);
    }

    /// What was staked at a time of this epoch or of the one before is slashed, wherever of the two it leaves in.
    function onSlash(uint256 amount, uint48 captureTimestamp) external returns (uint256 slashed) {
        uint256 epoch = currentEpoch();
        uint256 captured = epochAt(captureTimestamp);
        if ((epoch > 0 && captured < epoch - 1) || captured > epoch) revert InvalidCaptureEpoch();
        uint256 leaving = captured == epoch ? 0 : withdrawals[epoch];
        uint256 next = withdrawals[epoch + 1];
        uint256 slashable = activeStake + leaving + next;
        slashed = Math.min(amount, slashable);
        if (slashed > 0) {
            uint256 ofStake = slashed.mulDiv(activeStake, slashable);
            uint256 ofNext = slashed - ofStake;
            if (captured != epoch) {
                ofNext = slashed.mulDiv(next, slashable);
                uint256 ofLeaving = slashed - ofStake - ofNext;
                if (leaving < ofLeaving) {
                    ofNext += ofLeaving - leaving;
                    ofLeaving = leaving;
                }
                withdrawals[epoch] = leaving - ofLeaving;
            }
            activeStake -= ofStake;
            withdrawals[epoch + 1] = next - ofNext;
            IERC20(collateral).safeTransfer(burner, slashed);
        }
        emit OnSlash(amount, captureTimestamp, slashed);
    }

    function leave(address claimer, uint256 amount, uint256 burned) private returns (uint256 minted) {
        activeStake -= amount;
        uint256 epoch = currentEpoch() + 1;
        minted = sharesFor(amount, withdrawalShares[epoch], withdrawals[epoch], Math.Rounding.Floor);
        withdrawals[epoch] += amount;
        withdrawalShares[epoch] += minted;
        withdrawalSharesOf[epoch][claimer] += minted;
        emit Withdraw(msg.sender, claimer, amount, burned, minted);
        _burn(msg.sender, burned);
    }

    function settle(uint256 epoch) private returns (uint256 amount) {
        if (epoch >= currentEpoch()) revert InvalidEpoch();
        if (isWithdrawalsClaimed[epoch][msg.sender]) revert AlreadyClaimed();
        amount = withdrawalsOf(epoch, msg.sender);
        if (amount == 0) revert InsufficientClaim();
        isWithdrawalsClaimed[epoch][msg.sender] = true;
    }

    function sharesFor(uint256 assets, uint256 shares, uint256 total, Math.Rounding rounding)
        private
        pure
        returns (uint256)
    {
        return assets.mulDiv(shares + 1, total + 1, rounding);
    }

    function assetsOf(uint256 shares, uint256 total, uint256 allShares) private pure returns (uint256) {
        return shares.mulDiv(total + 1, allShares + 1);
    }
}
